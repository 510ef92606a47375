import { expect, test } from '@jest/globals'
import { AdminInternalService } from '@parley/contracts/internal'
import { MessageService, RoomService } from '@parley/contracts/api'
import { collectRoutes } from './routes.ts'

const owned = [RoomService.method.createRoom, RoomService.method.archiveRoom]
const implemented = (methods: ReturnType<typeof collectRoutes>) =>
  methods.map(({ method, implementation }) => [method.name, implementation !== undefined])

test('owned methods are served, implemented or not', () => {
  const served = collectRoutes(owned, (routes) => routes.service(RoomService, { createRoom: () => ({}) }))
  expect(implemented(served)).toEqual([
    ['CreateRoom', true],
    ['ArchiveRoom', false],
  ])
})

test('a service may be registered in several parts', () => {
  const served = collectRoutes(owned, (routes) =>
    routes.service(RoomService, { createRoom: () => ({}) }).rpc(RoomService.method.archiveRoom, () => ({})),
  )
  expect(implemented(served)).toEqual([
    ['CreateRoom', true],
    ['ArchiveRoom', true],
  ])
})

test('all methods of a registered internal service are served', () => {
  const served = collectRoutes([], (routes) => routes.service(AdminInternalService, { checkLogin: () => ({}) }))
  expect(implemented(served)).toEqual(
    AdminInternalService.methods.map((method) => [method.name, method.name === 'CheckLogin']),
  )
})

test('calls of svc.api need a signed-in caller, calls of an internal service do not', () => {
  const served = collectRoutes(owned, (routes) => routes.service(AdminInternalService, {}))
  expect(served.map(({ needsCaller }) => needsCaller)).toEqual([
    true,
    true,
    ...AdminInternalService.methods.map(() => false),
  ])
})

test('methods of another deployable and duplicates are refused', () => {
  expect(() => collectRoutes(owned, (routes) => routes.service(MessageService, { createMessage: () => ({}) }))).toThrow(
    'MessageService.CreateMessage is owned by another deployable',
  )
  expect(() =>
    collectRoutes(owned, (routes) =>
      routes.service(RoomService, { createRoom: () => ({}) }).service(RoomService, { createRoom: () => ({}) }),
    ),
  ).toThrow('RoomService.CreateRoom is implemented twice')
})
