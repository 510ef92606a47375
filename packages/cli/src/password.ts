import type { Readable } from 'node:stream'
import { misused } from './failure.ts'

export type PasswordInput = Readable & { isTTY?: boolean | undefined }

/** Longer input is refused before it is read completely. */
const maxBytes = 4096

/**
 * Reads a password without a byte order mark and the line end that echo adds. Throws for input that is empty, too
 * long, of several lines or not UTF-8, and for a terminal, which would show it.
 */
export async function readPassword(input: PasswordInput): Promise<string> {
  if (input.isTTY)
    throw misused('a terminal would show the password: read -rs PASSWORD, then printf %s "$PASSWORD" | parley ...')
  const password = decode(await bytesOf(input)).replace(/\r?\n$/, '')
  if (password === '') throw misused('standard input contains no password')
  if (/[\r\n]/.test(password)) throw misused('standard input has several lines; a password is a single line')
  return password
}

async function bytesOf(input: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw misused(`standard input is longer than a password can be (${maxBytes} bytes)`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw misused('standard input is not UTF-8')
  }
}
