import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { Failure } from './console.mjs'
import { adviceOnUsedPort } from './used-port.mjs'

/**
 * Throws if the public port is in use, before a new checkout is built for minutes. Skips the check if there is a
 * configuration file: it may set port and host, and can be read only after the build.
 */
export async function refuseUsedPort(env = process.env, defaultPort = 8080) {
  if (existsSync(env.PARLEY_CONFIG_FILE || 'parley.toml')) return
  const host = env.PARLEY_WEBSERVER_HOST || '127.0.0.1'
  const port = Number(env.PARLEY_WEBSERVER_PORT || env.PARLEY_PORT || defaultPort)
  const server = createServer()
  try {
    if (port > 0 && port < 65_536) await once(server.listen(port, host), 'listening')
  } catch (error) {
    if (error.code !== 'EADDRINUSE') return
    throw new Failure(adviceOnUsedPort(host, port))
  } finally {
    server.close()
  }
}
