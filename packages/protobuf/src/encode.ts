import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { encoderSource } from './encoder-source.ts'
import { Writer } from './writer.ts'

/** Writes the fields of a message of one type. */
export type Encoder = { write: (message: object, writer: Writer) => void }

const encoders = new WeakMap<DescMessage, Encoder>()
const writer = new Writer()

/**
 * Encodes a message in the protobuf wire format. Returns the same bytes as `toBinary(schema, create(schema, message))`
 * of protobuf-es, without reflection. Throws for a value outside the range of its field, and for a message type with
 * features that the contract does not use.
 */
export function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array<ArrayBuffer> {
  try {
    encoderOf(schema).write(message, writer)
    return writer.finish()
  } catch (error) {
    writer.reset()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot encode ${schema.typeName}: ${reason}`, { cause: error })
  }
}

/** The encoder of a type. It is compiled when it is first used, and so are the encoders of the types inside it. */
function encoderOf(schema: DescMessage): Encoder {
  const known = encoders.get(schema)
  if (known) return known
  const encoder: Encoder = {
    write(message, into) {
      encoder.write = compile(schema)
      encoder.write(message, into)
    },
  }
  encoders.set(schema, encoder)
  return encoder
}

function compile(schema: DescMessage): Encoder['write'] {
  const { source, inner } = encoderSource(schema)
  // The source contains only names from our own descriptors. Code that is generated for a type reads its fields by
  // name, which is faster than a loop that looks up each field.
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function('inner', source) as (inner: readonly Encoder[]) => Encoder['write']
  return make(inner.map(encoderOf))
}
