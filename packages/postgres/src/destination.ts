import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'

/** Where and how the driver connects. */
export type Destination = {
  /** Host name or address, or the folder of a Unix socket. */
  host: string
  port: number
  user: string
  database: string
  /** How the certificate of the server is checked; undefined without TLS. */
  tls: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'rejectUnauthorized'> | undefined
}

/**
 * What the driver makes of a postgres:// URL. Throws for one that it cannot read, and if a file of certificates in it
 * cannot be read.
 */
export function destinationOf(url: string): Destination {
  const { host, port, user = '', database = '', ssl } = new pg.Client({ connectionString: url })
  return { host, port, user, database, tls: tlsOf(ssl) }
}

/** The driver's types know only whether there is TLS. */
function tlsOf(ssl: boolean | ConnectionOptions): Destination['tls'] {
  if (typeof ssl === 'boolean') return ssl ? {} : undefined
  const { ca, checkServerIdentity, rejectUnauthorized } = ssl
  return {
    ...(ca !== undefined && { ca }),
    ...(checkServerIdentity !== undefined && { checkServerIdentity }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  }
}
