import type { IncomingMessage } from 'node:http'

/** Returns undefined for a body of more than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined
  const chunks: Buffer[] = []
  let length = 0
  // The connection must stay open until the client has received the refusal.
  const received: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  for await (const chunk of received) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
