import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

// The floor of an idle fleet: a server that returns the bytes it receives. To each message of its parent it
// answers the CPU time that it has used itself, in milliseconds.
const server = createServer((socket) => socket.on('data', (data) => socket.write(data))).listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
process.send?.((server.address() as AddressInfo).port)
