import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { Failure } from './console.mjs'

/**
 * Throws if the public port is in use, before a new checkout is built for minutes. The whole configuration is read after
 * the build: a port that a file may set is not looked at.
 */
export async function refuseUsedPort(env = process.env) {
  const { PARLEY_WEBSERVER_PORT, PARLEY_PORT, PARLEY_WEBSERVER_HOST: host = '127.0.0.1' } = env
  const given = PARLEY_WEBSERVER_PORT || PARLEY_PORT
  if (!given && existsSync(env.PARLEY_CONFIG_FILE ?? 'parley.toml')) return
  const port = Number(given || 8080)
  const server = createServer()
  try {
    if (port > 0 && port < 65_536) await once(server.listen(port, host), 'listening')
  } catch (error) {
    if (error.code !== 'EADDRINUSE') return
    const todo = 'stop what uses it, or set PARLEY_PORT to another port (0 takes a free one)'
    throw new Failure(`port ${port} on ${host} is in use; ${todo}`)
  } finally {
    server.close()
  }
}
