import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'

export type Destination = {
  /** Host name or address, or the directory of a Unix socket. */
  host: string
  port: number
  user: string
  database: string
  /** Undefined without TLS. */
  tls: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'rejectUnauthorized'> | undefined
}

/**
 * Parses a postgres:// URL as the driver does. Throws if the URL is invalid, or if a certificate file that it names
 * cannot be read.
 */
export function destinationOf(url: string): Destination {
  const { host, port, user = '', database = '', ssl } = new pg.Client({ connectionString: url })
  return { host, port, user, database, tls: tlsOf(ssl) }
}

/** The driver declares `ssl` as a boolean, but it may also be an object with the options of TLS. */
function tlsOf(ssl: boolean | ConnectionOptions): Destination['tls'] {
  if (typeof ssl === 'boolean') return ssl ? {} : undefined
  const { ca, checkServerIdentity, rejectUnauthorized } = ssl
  return {
    ...(ca !== undefined && { ca }),
    ...(checkServerIdentity !== undefined && { checkServerIdentity }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  }
}
