import { adviceOnUsedPort } from '../../bootstrap/used-port.mjs'
import { freePort, whyPortNotFree } from '../infrastructure/index.ts'

/**
 * The port to serve on: `wanted`, or a free one for 0. If the port cannot be used, throws an error that says what to
 * do.
 */
export async function publicPort(host: string, wanted: number): Promise<number> {
  if (wanted === 0) return freePort()
  const code = await whyPortNotFree(wanted, host)
  if (code === undefined) return wanted
  throw new Error(advice(code, host, wanted))
}

function advice(code: string, host: string, port: number): string {
  if (code === 'EADDRINUSE') return adviceOnUsedPort(host, port)
  if (code === 'EACCES') return `only root may listen on port ${port}; set PARLEY_PORT to 1024 or higher`
  if (code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine (${code}); set PARLEY_WEBSERVER_HOST to an address that it has`
  return `cannot listen on port ${port} of ${host} (${code}); set PARLEY_WEBSERVER_HOST to an address of this machine`
}

export function localUrl(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
