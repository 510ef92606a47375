import { invalidEmail } from '../errors.ts'

const maxLength = 254
const shape = /^[^\s\p{C}@<>(),;:"[\]\\]+@[^\s\p{C}@<>(),;:"[\]\\]+\.[^\s\p{C}@<>(),;:"[\]\\.]{2,}$/u

/** Addresses are compared without regard to case. */
export const emailKey = (address: string): string => address.trim().toLowerCase()

/**
 * Whether it looks like an address. Signs that Unicode only keeps as another way to write a letter (the kelvin sign is a K) would
 * share the key of an address that is somebody else's.
 */
export const couldBeEmail = (text: string): boolean =>
  text.length <= maxLength && text === text.normalize('NFC') && shape.test(text)

/** Throws `invalid_argument` unless it looks like an address. */
export function assertEmail(address: string): void {
  if (!couldBeEmail(address)) throw invalidEmail()
}
