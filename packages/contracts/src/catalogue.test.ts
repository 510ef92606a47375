import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { methodPath, ownedMethods, ownerOf, publicFiles, publicMethods, publicServices } from './catalogue.ts'
import { type Deployable, deployableNames as deployables } from './deployables.ts'
import { AccountsInternalService } from './internal.ts'
import { RoomService } from './api.ts'
import { RealtimeEventEnvelopeSchema } from './realtime.ts'

test('the public interface has 24 services, 158 methods and 40 event kinds', () => {
  expect(new Set(publicServices).size).toBe(24)
  expect(publicServices.flatMap((service) => service.methods)).toHaveLength(158)
  expect(publicMethods).toHaveLength(158)
  expect(RealtimeEventEnvelopeSchema.oneofs.find((oneof) => oneof.name === 'event')?.fields).toHaveLength(40)
})

test('services are listed by package and name', () => {
  const order = ['svc.api.v1', 'svc.admin.v1', 'svc.auth.v1', 'svc.discovery.v1']
  const names = publicServices.map((service) => service.typeName)
  const rank = (name: string) => order.findIndex((pkg) => name.startsWith(`${pkg}.`))
  expect(names).toEqual([...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)))
})

describe('the owner of methods', () => {
  test('is exactly one deployable for every public method', () => {
    const owned = deployables.flatMap((deployable) => ownedMethods(deployable).map(methodPath))
    expect([...owned].sort()).toEqual(publicMethods.map(methodPath).sort())
  })

  test('is rooms or messaging for the methods of RoomService', () => {
    const methodNames = (deployable: Deployable) =>
      ownedMethods(deployable)
        .filter((method) => method.parent === RoomService)
        .map((method) => method.name)
    expect(methodNames('messaging')).toEqual([
      'ListRoomAttachments',
      'UpdateTypingIndicator',
      'GetRoomEvents',
      'GetRoomEventsAround',
      'MarkRoomAsRead',
    ])
    expect(methodNames('rooms')).toHaveLength(16)
  })

  test('is never gateway or realtime, and the methods of an internal service have none', () => {
    expect([...ownedMethods('gateway'), ...ownedMethods('realtime')]).toEqual([])
    expect(AccountsInternalService.methods.map(ownerOf)).toEqual(AccountsInternalService.methods.map(() => undefined))
  })
})

test('the path of a method consists of service and method', () => {
  expect(methodPath(RoomService.method.createRoom)).toBe('/svc.api.v1.RoomService/CreateRoom')
})

describe('public files', () => {
  const names = publicFiles.map((file) => `${file.name}.proto`)

  test('contain every file of the public packages and nothing internal', () => {
    const proto = new URL('../../../proto/', import.meta.url)
    const declared = ['api', 'admin', 'auth', 'discovery', 'realtime'].flatMap((area) =>
      readdirSync(new URL(`svc/${area}/v1/`, proto)).map((file) => `svc/${area}/v1/${file}`),
    )
    expect(names.filter((name) => name.startsWith('svc/')).sort()).toEqual(declared.sort())
  })

  test('come after what they import', () => {
    publicFiles.forEach((file, at) => {
      for (const dependency of file.dependencies) expect(publicFiles.indexOf(dependency)).toBeLessThan(at)
    })
    expect(names).toContain('buf/validate/validate.proto')
    expect(names).toContain('google/protobuf/timestamp.proto')
  })
})
