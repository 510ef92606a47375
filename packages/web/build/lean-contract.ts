import { fileURLToPath } from 'node:url'
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import { base64Decode } from '@bufbuild/protobuf/wire'
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
const helper = fileURLToPath(new URL('../src/session/describe-file.ts', import.meta.url))

/**
 * Decodes the contract's descriptors when the client is built, so that the page need not do it at every start. Removes
 * the validation rules and the reserved names, which only the server and the compiler use.
 */
export const leanContract = (): Plugin => ({
  name: 'lean-contract',
  enforce: 'pre',
  transform: {
    filter: {
      id: [/\/contracts\/src\/gen\/svc\/.*_pb\.ts$/, /\/wkt\/gen\/google\/protobuf\/(?!descriptor_pb)\w+_pb\.js$/],
    },
    handler: (code) => ({ code: decodeDescriptor(code), map: null }),
  },
})

export function decodeDescriptor(code: string): string {
  const found = description.exec(code)
  if (!found) return code
  const [call, encoded = '', imported = ''] = found
  const others = imported.split(', ').filter((name) => name !== '' && name !== rulesFile)
  // Browsers parse a JSON string faster than an object literal.
  const described = `describeFile(${JSON.stringify(jsonOf(encoded))}, [${others.join(', ')}])`
  return `import { describeFile } from ${JSON.stringify(helper)}\n${code.replace(call, () => described)}`
}

function jsonOf(encoded: string): string {
  const file = fromBinary(FileDescriptorProtoSchema, base64Decode(encoded))
  file.messageType.forEach(slim)
  // The call in the generated code passes the imported files, so their names are not needed.
  file.dependency = []
  const isAbsent = (key: string, value: unknown) =>
    key.startsWith('$') || (Array.isArray(value) && value.length === 0) || (key === 'label' && value === 1)
  return JSON.stringify(file, (key, value: unknown) => (isAbsent(key, value) ? undefined : value))
}

function slim(message: DescriptorProto): void {
  message.reservedName = []
  message.reservedRange = []
  removeRules(MessageOptionsSchema, message)
  for (const field of message.field) {
    removeRules(FieldOptionsSchema, field)
    field.jsonName ||= protoCamelCase(field.name)
  }
  for (const oneof of message.oneofDecl) removeRules(OneofOptionsSchema, oneof)
  message.nestedType.forEach(slim)
}

/** Rules are extensions of the options; decoding keeps extensions as unknown fields. */
function removeRules<Options extends DescMessage>(
  schema: Options,
  owner: { options?: MessageShape<Options> | undefined },
): void {
  if (!owner.options) return
  delete owner.options.$unknown
  if (toBinary(schema, owner.options).length === 0) delete owner.options
}
