import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { base64Decode, base64Encode } from '@bufbuild/protobuf/wire'
import {
  type DescriptorProto,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
  OneofOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import type { Plugin } from 'vite'

const rulesFile = 'file_buf_validate_validate'
const description = /fileDesc\("([^"]+)"(?:, \[([^\]]*)\])?\)/

/**
 * Takes the rules for fields and the reserved names out of the contract's descriptors: only the server and the compiler
 * use them, and a page would parse them at every start. A file also forgets the files that it imported once their types
 * are found: otherwise each file that imports it walks through all of them again.
 */
export const leanContract = (): Plugin => ({
  name: 'lean-contract',
  enforce: 'pre',
  transform: {
    filter: { id: /\/contracts\/src\/gen\/svc\/.*_pb\.ts$/ },
    handler: (code) => ({ code: lean(code), map: null }),
  },
})

/** A generated file without them. */
export const lean = (code: string): string =>
  code.replace(description, (_, encoded: string, imported: string | undefined = '') => {
    const file = fromBinary(FileDescriptorProtoSchema, base64Decode(encoded))
    file.messageType.forEach(slim)
    const others = imported.split(', ').filter((name) => name !== rulesFile)
    const bytes = base64Encode(toBinary(FileDescriptorProtoSchema, file), 'std_raw')
    return `Object.assign(/*@__PURE__*/ fileDesc("${bytes}", [${others.join(', ')}]), { dependencies: [] })`
  })

function slim(message: DescriptorProto): void {
  message.reservedName = []
  message.reservedRange = []
  withoutRules(MessageOptionsSchema, message)
  for (const field of message.field) withoutRules(FieldOptionsSchema, field)
  for (const oneof of message.oneofDecl) withoutRules(OneofOptionsSchema, oneof)
  message.nestedType.forEach(slim)
}

/** Rules are extensions of the options, which are encoded as unknown fields. */
function withoutRules<Options extends DescMessage>(
  schema: Options,
  owner: { options?: MessageShape<Options> | undefined },
): void {
  if (!owner.options) return
  delete owner.options.$unknown
  if (toBinary(schema, owner.options).length === 0) delete owner.options
}
