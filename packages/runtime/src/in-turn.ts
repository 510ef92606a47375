import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Maximum number of pipelined requests that wait on one connection; no client that we know pipelines at all. */
const maxWaiting = 4

type Line = { last: ServerResponse; waiting: number }
const lines = new WeakMap<Duplex, Line>()

/**
 * Handles a pipelined request once the earlier responses of its connection have been sent, so that for a client that
 * does not read, the server holds at most one response. If an earlier response ends the connection, the request is
 * never handled. Ends a connection on which too many requests wait.
 */
export function inTurn(socket: Duplex, response: ServerResponse, handle: () => void): void {
  if (!socket.writable) return
  const line = lines.get(socket)
  const ends = () => lines.get(socket)?.last === response && lines.delete(socket)
  if (!line) {
    lines.set(socket, { last: response, waiting: 0 })
    response.once('close', ends)
    return handle()
  }
  if (++line.waiting > maxWaiting) return void socket.destroy()
  afterAnswers(socket, () => {
    line.waiting--
    handle()
  })
  line.last = response
  response.once('close', ends)
}

/**
 * Runs after all requests of a connection have been answered; never if the connection ends first, or with the last
 * response.
 */
export function afterAnswers(socket: Duplex, run: () => void): void {
  const before = lines.get(socket)?.last
  const runIfOpen = () => socket.writable && run()
  if (before) before.once('close', runIfOpen)
  else runIfOpen()
}
