import { createServer, type RequestListener } from 'node:http'

// Imports no package of a real service, so that this program starts fast.
const serve = (port: number, listener: RequestListener) =>
  new Promise<number>((resolve) => {
    const server = createServer(listener).listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })

const internalPort = await serve(0, (_, response) => response.end())
const wanted = process.env.PARLEY_WEBSERVER_PORT ?? process.env.PARLEY_REALTIME_PORT
const port = await serve(Number(wanted), (_, response) => response.end(JSON.stringify(process.env)))
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit())
console.log('{"level":30,"msg":"serving"}')
process.send?.({ type: 'ready', internalPort, url: `http://127.0.0.1:${port}` })
