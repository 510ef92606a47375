import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { misused } from './failure.ts'

/** A password from a stream, without the line end that echo adds. Throws when it is empty. */
export async function readPassword(input: Readable): Promise<string> {
  const password = (await text(input)).replace(/\r?\n$/, '')
  if (password === '') throw misused('standard input holds no password')
  return password
}
