import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from './console.mjs'
import { root } from './paths.mjs'

/**
 * Waits until no other bootstrap of this user works on this checkout, locks it, and returns a function that releases
 * the lock. The lock is a listening socket, so it never outlives its process. The socket is in the folder for temporary
 * files, because its path must be short.
 */
export async function lockCheckout(onWait) {
  const name = createHash('sha256').update(`${process.getuid?.()} ${root}`).digest('hex').slice(0, 16)
  const path = join(tmpdir(), `parley-bootstrap-${name}.sock`)
  for (let waits = false; ; waits = true) {
    const server = await listen(path)
    if (server) return () => void server.close()
    await waitForHolder(path, () => waits || onWait())
  }
}

function listen(path) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) =>
      socket
        .resume()
        .on('error', () => undefined)
        .unref(),
    )
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new Failure(`${error.message}; set TMPDIR to a writable folder`))
    })
    server.listen(path, () => resolve(server.unref()))
  })
}

function waitForHolder(path, onWait) {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', onWait)
    socket.once('error', (error) => {
      // The holder was killed before it could remove the socket.
      if (error.code === 'ECONNREFUSED') rmSync(path, { force: true })
      else if (!['ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code)) reject(new Failure(error.message))
    })
    socket.once('close', resolve)
  })
}
