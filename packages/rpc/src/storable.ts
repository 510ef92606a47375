import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'

/** The path of a field in the message, and the rule that its value breaks. */
export type Unstorable = { field: string; description: string }

const nul = 'must not contain the character U+0000'
const outOfRange = 'must be a time from year 1 to 9999, with 0 to 999,999,999 nanoseconds'
// The end of year 9999 is the last time that all our stores and clocks can represent.
const seconds = { first: -62_135_596_800n, last: 253_402_300_799n }
const lastNanos = 999_000_000

/**
 * Finds values that protobuf allows but no service can store: U+0000 in strings, and times outside years 1 to 9999.
 * `body` is the encoded message; a scan of its bytes avoids the walk for nearly every message.
 */
export function findUnstorable(desc: DescMessage, message: Message, body: Uint8Array): Unstorable[] {
  if (!containsTime(desc) && !body.includes(0)) return []
  const found: Unstorable[] = []
  visit(reflect(desc, message), '', found)
  return found
}

function visit(message: ReflectMessage, path: string, found: Unstorable[]): void {
  if (message.desc.typeName === TimestampSchema.typeName) {
    if (!isStorableTime(message)) found.push({ field: path, description: outOfRange })
    return
  }
  for (const field of message.fields) {
    if (!message.isSet(field)) continue
    const name = path === '' ? field.name : `${path}.${field.name}`
    for (const [at, value] of valuesOf(message, field, name)) {
      if (typeof value === 'string' && value.includes('\0')) found.push({ field: at, description: nul })
      else if (isReflectMessage(value)) visit(value, at, found)
    }
  }
}

/** The value of a field; for a list each item, for a map each key and value. */
function* valuesOf(message: ReflectMessage, field: DescField, name: string): Iterable<[string, unknown]> {
  switch (field.fieldKind) {
    case 'list': {
      let index = 0
      for (const item of message.get(field)) yield [`${name}[${index++}]`, item]
      break
    }
    case 'map':
      for (const [key, value] of message.get(field))
        yield* [[name, key] as [string, unknown], [name, value] as [string, unknown]]
      break
    default:
      yield [name, message.get(field)]
  }
}

function isReflectMessage(value: unknown): value is ReflectMessage {
  return typeof value === 'object' && value !== null && 'desc' in value && 'fields' in value
}

function isStorableTime(time: ReflectMessage): boolean {
  const { seconds: at, nanos } = time.message as Message & { seconds: bigint; nanos: number }
  if (nanos < 0 || nanos > 999_999_999) return false
  return at >= seconds.first && at <= seconds.last && !(at === seconds.last && nanos > lastNanos)
}

const timeContainers = new Map<DescMessage, boolean>()

function containsTime(desc: DescMessage): boolean {
  let contains = timeContainers.get(desc)
  if (contains === undefined) {
    timeContainers.set(desc, false) // ends the walk for recursive types
    contains =
      desc.typeName === TimestampSchema.typeName ||
      desc.fields.some((field) => field.message && containsTime(field.message))
    timeContainers.set(desc, contains)
  }
  return contains
}
