import { invalidEmail } from '../errors.ts'

const shape = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+\.[^\s@<>(),;:"[\]\\.]{2,}$/

/** Addresses are compared without regard to case. */
export const emailKey = (address: string): string => address.trim().toLowerCase()

/** Throws `invalid_argument` unless it looks like an address. */
export function assertEmail(address: string): void {
  if (address.length > 254 || !shape.test(address)) throw invalidEmail()
}
