import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { NotificationService } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { testBus } from '@parley/testkit'
import { openFleet, type Fleet } from './_fleet.ts'

let fleet: Fleet
let service: Service
beforeAll(async () => {
  fleet = await openFleet()
  service = await fleet.start()
})
afterAll(() => fleet[Symbol.asyncDispose]())

test('what is owned but not built is unimplemented, after the question who calls', async () => {
  await using here = await testBus(fleet.natsUrl)
  const anonymous = createClient(NotificationService, here.rpc.transport())
  await expect(anonymous.listNotifications({})).rejects.toMatchObject({ code: Code.Unauthenticated })
  const { notifications } = fleet.as('Uann')
  await expect(notifications.listNotifications({})).rejects.toMatchObject({ code: Code.Unimplemented })
})

test('the process is ready', async () => {
  expect((await fetch(`http://127.0.0.1:${service.internalPort}/readyz`)).status).toBe(200)
})
