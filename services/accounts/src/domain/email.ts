import { invalidEmail } from '../errors.ts'

const maxLength = 254
const shape = /^[^\s\p{C}@<>(),;:"[\]\\]+@[^\s\p{C}@<>(),;:"[\]\\]+\.[^\s\p{C}@<>(),;:"[\]\\.]{2,}$/u

export const emailKey = (address: string): string => address.trim().toLowerCase()

/**
 * Refuses characters that Unicode normalizes to others: with a kelvin sign instead of a K, an address would have the
 * same key as somebody else's.
 */
export const couldBeEmail = (text: string): boolean =>
  text.length <= maxLength && text === text.normalize('NFC') && shape.test(text)

export function assertEmail(address: string): void {
  if (!couldBeEmail(address)) throw invalidEmail()
}
