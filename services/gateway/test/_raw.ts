import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export async function rawSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Returns the bytes received until the head of a response is complete, or the connection ends. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const socket = await rawSocket(url)
  socket.write(bytes, 'latin1')
  const received = await receive(socket, (text) => text.includes('\r\n\r\n'))
  socket.destroy()
  return received
}

/** Resolves when there are enough bytes, or the connection ends. */
export function receive(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const end = () => resolve(text)
    socket.once('close', end)
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1')
      if (isEnough(text)) end()
    })
  })
}
