/** A window of this origin, as a service worker sees it. */
type PageWindow = { postMessage(message: unknown, transfer: Transferable[]): void }

/**
 * Finds a window that shows the chat; others show sign-in, an invite or a file. Sends each window a port, through which
 * only a page with the chat answers. Undefined if none answers within `timeoutMs`.
 */
export async function findChatWindow<T extends PageWindow>(
  windows: readonly T[],
  timeoutMs: number,
): Promise<T | undefined> {
  if (windows.length === 0) return undefined
  const ports: MessagePort[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<T | undefined>((resolve) => {
      for (const window of windows) {
        const { port1, port2 } = new MessageChannel()
        ports.push(port1)
        port1.onmessage = () => resolve(window)
        window.postMessage({}, [port2])
      }
      timer = setTimeout(() => resolve(undefined), timeoutMs)
    })
  } finally {
    clearTimeout(timer)
    for (const port of ports) port.close()
  }
}
