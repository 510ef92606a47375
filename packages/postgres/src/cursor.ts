import { Code, ConnectError } from '@connectrpc/connect'

/** Encodes the key of the last row of a page. */
export function encodeCursor(parts: readonly (string | number | bigint)[]): string {
  return Buffer.from(JSON.stringify(parts.map(String))).toString('base64url')
}

/** Throws invalid_argument for a text that does not contain a key. */
export function decodeCursor(cursor: string): string[] {
  const parts = parse(cursor)
  if (!Array.isArray(parts) || !parts.every((part): part is string => typeof part === 'string')) {
    throw new ConnectError('invalid page cursor', Code.InvalidArgument)
  }
  return parts
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
