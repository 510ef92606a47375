import { App, us_socket_local_port } from 'uWebSockets.js'

// The floor of a delivery: publishes each message of its parent, given in base64, to all sockets.
const app = App()
  .ws('/*', { open: (socket) => void socket.subscribe('floor') })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket) process.send?.(us_socket_local_port(socket))
  })
process.on('message', (message: string) => void app.publish('floor', Buffer.from(message, 'base64'), true))
process.on('disconnect', () => process.exit(0))
