import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Maximum number of pipelined requests that wait on one connection; no client that we know pipelines at all. */
const maxWaiting = 4

type Pipeline = { last: ServerResponse; waiting: number }
const pipelines = new WeakMap<Duplex, Pipeline>()

/**
 * Handles a pipelined request once the earlier responses of its connection have been sent, so that for a client that
 * does not read, the server holds at most one response. If an earlier response ends the connection, the request is
 * never handled. Ends a connection on which too many requests wait.
 */
export function handleInOrder(socket: Duplex, response: ServerResponse, handle: () => void): void {
  if (!socket.writable) return
  const pipeline = pipelines.get(socket)
  const forget = () => pipelines.get(socket)?.last === response && pipelines.delete(socket)
  if (!pipeline) {
    pipelines.set(socket, { last: response, waiting: 0 })
    response.once('close', forget)
    return handle()
  }
  if (++pipeline.waiting > maxWaiting) return void socket.destroy()
  afterResponses(socket, () => {
    pipeline.waiting--
    handle()
  })
  pipeline.last = response
  response.once('close', forget)
}

/**
 * Runs a function after all requests of a connection have been answered; never if the connection ends before that, or
 * with the last response.
 */
export function afterResponses(socket: Duplex, run: () => void): void {
  const before = pipelines.get(socket)?.last
  const runIfOpen = () => socket.writable && run()
  if (before) before.once('close', runIfOpen)
  else runIfOpen()
}
