import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import { publicFiles } from '@parley/contracts/catalogue'
import { DescriptorIndex } from './descriptor-index.ts'

const index = new DescriptorIndex(publicFiles)

describe('the descriptor index', () => {
  test.each([
    'svc.api.v1.RoomService',
    'svc.api.v1.RoomService.CreateRoom',
    'svc.api.v1.Room',
    'svc.api.v1.Room.id',
    '.svc.api.v1.RoomKind',
  ])('finds the file of %s', (symbol) => {
    expect(index.fileOfSymbol(symbol)?.proto.name).toBe('svc/api/v1/rooms.proto')
  })

  test('encodes a file with everything it imports', () => {
    const file = index.file('svc/api/v1/rooms.proto')
    const files = (file ? index.encodeWithImports(file) : []).map((bytes) =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    )
    const names = new Set(files.map(({ name }) => name))
    for (const { dependency } of files) for (const needed of dependency) expect(names).toContain(needed)
    expect(names).toContain('buf/validate/validate.proto')
  })

  test('finds the file of an extension, and the extension numbers of a message', () => {
    expect(index.fileOfExtension('google.protobuf.FieldOptions', 1159)?.proto.name).toBe('buf/validate/validate.proto')
    expect(index.extensionNumbers('google.protobuf.FieldOptions')).toEqual([1159])
    expect(index.extensionNumbers('svc.api.v1.Room')).toEqual([])
    expect(index.extensionNumbers('svc.api.v1.Nothing')).toBeUndefined()
  })

  test('contains nothing internal', () => {
    expect(index.fileOfSymbol('svc.internal.v1.OperatorService')).toBeUndefined()
    expect(publicFiles.filter(({ proto }) => proto.package.startsWith('svc.internal'))).toEqual([])
  })
})
