/**
 * Ends with a message if the public port is in use, before a new checkout is built for minutes. Only the environment is
 * asked: the whole configuration is read after the build.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fail } from './console.mjs'

const { PARLEY_WEBSERVER_PORT, PARLEY_PORT, PARLEY_WEBSERVER_HOST: host = '127.0.0.1' } = process.env
const port = Number(PARLEY_WEBSERVER_PORT || PARLEY_PORT || 8080)
const server = createServer()
try {
  if (port > 0 && port < 65_536) await once(server.listen(port, host), 'listening')
} catch (error) {
  if (error.code === 'EADDRINUSE')
    fail(
      `port ${port} on ${host} is in use; stop what uses it, or set PARLEY_PORT to another port (0 takes a free one)`,
    )
}
server.close()
