import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests that may wait on one connection for the answers before theirs; nothing that we know sends ahead at all. */
const mostWaiting = 4

type Line = { last: ServerResponse; waiting: number }
const lines = new WeakMap<Duplex, Line>()

/**
 * Handles a request when the answers before it on its connection are sent: what a client asks for without taking the answers
 * holds one answer, not all of them. Never handles it when an answer before it ends the connection. Ends a connection on
 * which too many requests wait.
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
  if (++line.waiting > mostWaiting) return void socket.destroy()
  afterAnswers(socket, () => {
    line.waiting--
    handle()
  })
  line.last = response
  response.once('close', ends)
}

/** Runs when everything that was asked on a connection is answered; never when the connection ends before or with that. */
export function afterAnswers(socket: Duplex, run: () => void): void {
  const before = lines.get(socket)?.last
  const runIfOpen = () => socket.writable && run()
  if (before) before.once('close', runIfOpen)
  else runIfOpen()
}
