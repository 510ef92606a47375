import { readdirSync, readFileSync } from 'node:fs'
import { fromBinary } from '@bufbuild/protobuf'
import { base64Decode } from '@bufbuild/protobuf/wire'
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { lean } from '../../build/lean-contract.ts'

const generated = new URL('../../../contracts/src/gen/svc/api/v1/', import.meta.url)
const sources = readdirSync(generated).map((name) => readFileSync(new URL(name, generated), 'utf8'))

function describedIn(source: string): FileDescriptorProto {
  const [, encoded = ''] = /fileDesc\("([^"]+)"/.exec(source) ?? []
  return fromBinary(FileDescriptorProtoSchema, base64Decode(encoded))
}

/** What a client needs of a message: its fields as they are encoded, without what only the server looks at. */
function neededOf(message: DescriptorProto): unknown {
  return {
    ...{ name: message.name, oneofs: message.oneofDecl.map(({ name }) => name), map: message.options?.mapEntry },
    fields: message.field.map(({ options: _, ...field }) => field),
    nested: message.nestedType.map(neededOf),
  }
}

test('a page is built with every message and method of the contract, and without the rules for fields', () => {
  for (const source of sources) {
    const slim = lean(source)
    const [whole, left] = [describedIn(source), describedIn(slim)]
    expect(left.messageType.map(neededOf)).toEqual(whole.messageType.map(neededOf))
    expect(left.service).toEqual(whole.service)
    expect(left.enumType).toEqual(whole.enumType)
    expect(/fileDesc\(.*file_buf_validate/.test(slim)).toBe(false)
    expect(left.messageType.flatMap(({ field }) => field.filter(({ options }) => options?.$unknown))).toEqual([])
  }
})
