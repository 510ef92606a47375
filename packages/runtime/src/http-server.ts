import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** A listening HTTP server; disposing it lets running requests finish. `url` is where this machine reaches it. */
export type HttpServer = AsyncDisposable & { url: string }

/** Serves HTTP on a port of its own; 0 takes a free one, which `url` names. Throws when the port cannot be had. */
export async function serveHttp(options: { host: string; port: number; handle: RequestListener }): Promise<HttpServer> {
  const server = createServer(options.handle)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port')
  const host = options.host === '0.0.0.0' ? '127.0.0.1' : options.host
  return {
    url: `http://${host}:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
