import * as library from 'uWebSockets.js'

// The raw uWebSockets floor: publishes what it is told to one topic. Both spellings of the port call are in use.
const exported: { default?: object } = library
const calls = { ...exported.default, ...exported } as Partial<
  Record<'us_socket_local_port' | 'getSocketPort', (socket: library.us_listen_socket) => number>
>
const portOf = calls.us_socket_local_port ?? calls.getSocketPort

const app = library
  .App()
  .ws('/*', { open: (socket) => void socket.subscribe('floor') })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket && portOf) process.send?.(portOf(socket))
  })
process.on('message', (message: string) => void app.publish('floor', Buffer.from(message, 'base64'), true))
process.on('disconnect', () => process.exit(0))
