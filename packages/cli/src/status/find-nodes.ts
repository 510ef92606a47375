import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import type { FleetProcess } from '@parley/local'
import { dataDirAt } from '@parley/local/data-dir'
import { misused, unreachable } from '../failure.ts'
import type { NodeAddress } from './fetch-node.ts'

const defaultPort = 9090

/**
 * Each address of a name is a process. A name is a host with an optional port, or an http URL. A name that cannot be
 * resolved counts as one unreachable process. Throws a Failure for an invalid name.
 */
export async function nodesAt(names: readonly string[]): Promise<NodeAddress[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const [, scheme = 'http'] = /^([a-z][a-z\d+.-]*):\/\//i.exec(name) ?? []
      if (scheme.toLowerCase() !== 'http') throw misused(`${name}: internal ports use HTTP; give a host with a port`)
      const address = /^http:\/\//i.test(name) ? name : `http://${name}`
      if (!URL.canParse(address)) throw misused(`${name} is not a host with a port`)
      const hostname = new URL(address).hostname.replace(/^\[|\]$/g, '')
      // URL.port is empty for the default port 80.
      const [, explicitPort] = /^http:\/\/(?:\[.*\]|[^:/]*):(\d+)/i.exec(address) ?? []
      const port = Number(explicitPort ?? defaultPort)
      const addresses = await lookup(hostname, { all: true }).catch(() => [{ address: hostname }])
      return addresses.map(({ address: host }) => ({ host, port }))
    }),
  )
  return found.flat()
}

export function nodesOf(dataDir: string): NodeAddress[] {
  const { processesFile, root } = dataDirAt(dataDir)
  try {
    const { services } = JSON.parse(readFileSync(processesFile, 'utf8')) as { services: FleetProcess[] }
    return services.map(({ name, internalPort }) => ({ host: '127.0.0.1', port: internalPort, service: name }))
  } catch {
    throw unreachable(
      `no fleet runs on ${root}; set its data folder with --data-dir or PARLEY_DATA_DIR, or give its internal ports with --at`,
    )
  }
}
