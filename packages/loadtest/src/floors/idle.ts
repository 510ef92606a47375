import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

// The floor of an idle fleet: sends bytes that it receives back. Reports its CPU time in milliseconds when it gets a
// message from its parent.
const server = createServer((socket) => socket.on('data', (data) => socket.write(data))).listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
process.send?.((server.address() as AddressInfo).port)
