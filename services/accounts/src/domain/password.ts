import { invalidPassword } from '../errors.ts'

const minBytes = 8
const maxBytes = 128

export function assertPassword(password: string): void {
  const length = Buffer.byteLength(password, 'utf8')
  if (length < minBytes || length > maxBytes) throw invalidPassword(`it must have ${minBytes} to ${maxBytes} bytes`)
}
