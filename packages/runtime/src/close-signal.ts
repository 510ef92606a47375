type Response = {
  once(event: 'close', listener: () => void): unknown
  /** HTTP/1. */
  destroyed?: boolean
  /** HTTP/2. */
  stream?: { destroyed: boolean }
}

/** Aborted when the response has been sent or its client has disconnected. */
export function closeSignal(response: Response): AbortSignal {
  const controller = new AbortController()
  if (response.stream?.destroyed ?? response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  return controller.signal
}
