import { createFileRegistry, type DescFile } from '@bufbuild/protobuf'
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt'

type Plain = Readonly<Record<string, unknown>>

const none: readonly never[] = []
const message = { field: none, nestedType: none, enumType: none, extension: none, oneofDecl: none }

/** What the library reads of descriptors though it was not set, by the lists that they are in. */
const defaults: Readonly<Record<string, object>> = {
  messageType: message,
  nestedType: message,
  field: { label: 1, typeName: '', extendee: '', defaultValue: '', oneofIndex: 0, proto3Optional: false },
  enumType: { value: none },
  value: {},
  oneofDecl: {},
  service: { method: none },
  method: { clientStreaming: false, serverStreaming: false },
}
const fileDefaults = {
  $typeName: 'google.protobuf.FileDescriptorProto',
  ...{ package: '', syntax: '', edition: 0, messageType: none, enumType: none, service: none, extension: none },
}

/**
 * Describes a file of the contract from what the build has decoded: `json` holds its descriptor without empty fields.
 * Decoding it in the page would take a sixth of a start on a slow device. The file forgets those that it imports once
 * their types are found: otherwise each file that imports it walks through all of them again.
 */
export function describedFile(json: string, imports: readonly DescFile[]): DescFile {
  const dependency = imports.map(({ proto }) => proto.name)
  const proto = whole(fileDefaults, { ...(JSON.parse(json) as Plain), dependency }) as FileDescriptorProto
  const registry = createFileRegistry(proto, (name) => imports.find((one) => one.proto.name === name))
  const file = registry.getFile(proto.name)
  if (!file) throw new Error(`${proto.name} is not described`)
  return Object.assign(file, { dependencies: [] })
}

function whole(absent: object, plain: Plain): object {
  const made: Record<string, unknown> = Object.assign(Object.create(absent) as object, plain)
  for (const name in plain) {
    const [list, ofParts] = [plain[name], defaults[name]]
    if (ofParts && Array.isArray(list)) made[name] = list.map((part: Plain) => whole(ofParts, part))
  }
  return made
}
