import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { ViewerService } from '@parley/contracts/api'
import { CallerSchema } from '@parley/contracts/internal'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'

let ada: Person
let owner: Person
beforeAll(async () => {
  ;[ada, owner] = await Promise.all([newPerson('ada'), signInOwner()])
})

async function raw(lines: string[], body = ''): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(fleet().gateways[1])
  const socket = connect(Number(port), hostname)
  const head = [...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const answer = await text(socket)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text: answer }
}

const getViewer = 'POST /api/connect/svc.api.v1.ViewerService/GetViewer HTTP/1.1'
const json = ['Host: x', 'Content-Type: application/json']

describe('a path', () => {
  test.each([
    ...[
      '/assets/../internal/blobs',
      '/assets/%2e%2e/internal/blobs',
      '/assets/..%2finternal/blobs',
      '/assets//internal/blobs',
    ],
    ...[
      '/assets/%252e%252e/internal/blobs',
      '/assets/.%2e/internal/blobs',
      '/assets\\..\\internal/blobs',
      '//internal/blobs',
    ],
    ...['/webhooks/../internal/blobs', '/internal/blobs', '/metrics', '/assets/server/../../internal/blobs'],
  ])('%s does not lead to internal endpoints', async (path) => {
    const { status } = await raw([`POST ${path} HTTP/1.1`, ...json, `Authorization: Bearer ${owner.token}`], '{}')
    expect([400, 404]).toContain(status)
  })

  test('with another host is not forwarded to that host', async () => {
    const { status } = await raw(['GET http://169.254.169.254/assets/files/x HTTP/1.1', ...json])
    expect([400, 401, 403, 404]).toContain(status)
  })

  test('of an internal method is unknown', async () => {
    for (const method of ['AccountsInternalService/Authenticate', 'SignInInternalService/IssueAuthorizationCode']) {
      const line = `POST /api/connect/svc.internal.v1.${method} HTTP/1.1`
      expect((await raw([line, ...json, `Authorization: Bearer ${owner.token}`], '{}')).status).toBe(404)
    }
  })
})

describe('a header', () => {
  test('that claims an identity is ignored', async () => {
    const caller = create(CallerSchema, { userId: owner.userId, credentialId: 'S1', roleIds: ['owner'] })
    const forged = `Parley-Caller: ${Buffer.from(toBinary(CallerSchema, caller)).toString('base64')}`
    expect((await raw([getViewer, ...json, forged], '{}')).status).toBe(401)
    const answer = await raw([getViewer, ...json, forged, `Authorization: Bearer ${ada.token}`], '{}')
    expect(answer.text).toContain(ada.userId)
    expect(answer.text).not.toContain(owner.userId)
  })

  test('that occurs twice has its first value', async () => {
    const tokens = [`Authorization: Bearer ${ada.token}`, `Authorization: Bearer ${owner.token}`]
    expect((await raw([getViewer, ...json, ...tokens], '{}')).text).toContain(ada.userId)
    expect((await raw([getViewer, ...json, 'Authorization: Bearer none', ...tokens], '{}')).status).toBe(401)
  })

  test('that makes the end of the request ambiguous is refused', async () => {
    const smuggled = `${getViewer}\r\nHost: x\r\nContent-Length: 0\r\n\r\n`
    for (const extra of ['Transfer-Encoding: chunked', 'Content-Length: 3', 'Transfer-Encoding: xchunked'])
      expect((await raw([getViewer, ...json, extra], smuggled)).status).toBe(400)
  })
})

test('a POST with a content type that browsers send without a preflight is refused', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const request = [getViewer, 'Host: x', `Content-Type: ${type}`, `Authorization: Bearer ${ada.token}`]
    expect((await raw(request, '{}')).status).toBe(415)
  }
  expect((await ada.attempt(ViewerService.method.getViewer, {})).status).toBe(200)
})
