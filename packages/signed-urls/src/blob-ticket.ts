import { createHmac, timingSafeEqual } from 'node:crypto'

/** The gateway's signed description of bytes that it sends to uploads. */
export type BlobTicket = {
  readonly callerId: string
  /** Method of the request, such as `svc.api.v1.MyAccountService/UploadAvatar`. */
  readonly method: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes as lowercase hex. */
  readonly sha256: string
  /** Milliseconds since 1970. */
  readonly signedAt: number
  /** Random for each request, so that uploads recognises a repeated ticket and stores its bytes once. */
  readonly nonce: string
}

export const blobTicketHeader = 'parley-blob-ticket'

/** How long a ticket is valid before and after `signedAt`, because clocks differ and large bodies take time. */
export const blobTicketWindowMs = 60_000

const signatureOf = (secret: string, content: string): Buffer =>
  createHmac('sha256', secret).update('blob\0').update(content).digest()

/**
 * Encodes a ticket as the value of the header, signed with the key that only gateway and uploads have.
 */
export function signBlobTicket(secret: string, ticket: BlobTicket): string {
  const content = Buffer.from(JSON.stringify(ticket)).toString('base64url')
  return `${content}.${signatureOf(secret, content).toString('base64url')}`
}

/** Undefined unless the ticket is recent and signed with the key. */
export function readBlobTicket(secret: string, value: string, now: number): BlobTicket | undefined {
  const [content = '', signature = ''] = value.split('.')
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(secret, content)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const ticket = JSON.parse(Buffer.from(content, 'base64url').toString()) as BlobTicket
  return Math.abs(now - ticket.signedAt) <= blobTicketWindowMs ? ticket : undefined
}
