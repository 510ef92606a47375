/** The WebSocket interface needed here, implemented by browsers and by the package `ws`. */
export interface WebSocketLike {
  binaryType: string
  send(data: Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike
