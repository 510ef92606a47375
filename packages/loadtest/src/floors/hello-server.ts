import { createServer, type AddressInfo } from 'node:net'
import { App } from 'uWebSockets.js'

// The floor of reconnecting sockets: a bare server that answers every message with the bytes given in base64.
const answer = Buffer.from(process.argv[2] ?? '', 'base64')
const app = App().ws('/*', {
  open: (socket) => void socket.subscribe('floor'),
  message: (socket) => void socket.send(answer, true),
})
/** Each has its own queue of new connections, so that none overflows when thousands of clients connect at once. */
const listeningSockets = 8
const server = createServer().listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  server.close(() => {
    for (let n = 0; n < listeningSockets; n++) app.listen('127.0.0.1', port, () => undefined)
    process.send?.(port)
  })
})
process.on('disconnect', () => process.exit(0))
