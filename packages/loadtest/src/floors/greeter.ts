import { App, us_socket_local_port } from 'uWebSockets.js'

// The raw floor of opening sockets: answers every message of a client with the bytes given in base64.
const answer = Buffer.from(process.argv[2] ?? '', 'base64')
App()
  .ws('/*', { open: (socket) => void socket.subscribe('floor'), message: (socket) => void socket.send(answer, true) })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket) process.send?.(us_socket_local_port(socket))
  })
process.on('disconnect', () => process.exit(0))
