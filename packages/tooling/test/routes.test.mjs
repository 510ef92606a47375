import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { problemsOfRoutes } from '../deploy/check-routes.mjs'

/** The routes that the chart renders, after a change of the HTTPRoute's rules, with what they lead to. */
function rendered(change = () => {}) {
  const golden = readFileSync(new URL('../deploy/golden/full.yaml', import.meta.url), 'utf8')
  const objects = parseAllDocuments(golden).flatMap((each) => each.toJS() ?? [])
  change(objects.find(({ kind }) => kind === 'HTTPRoute').spec.rules)
  return objects
}

const everythingElse = (rules) => rules.find(({ matches }) => matches[0].path.value === '/' && !matches[0].headers)
const nativeGrpc = (rules) => rules.find(({ matches }) => matches[0].headers)

test('the rendered routes lead native gRPC, and nothing else, to the gateway over HTTP/2', () => {
  expect(problemsOfRoutes(rendered())).toEqual([])
})

test.each([
  [
    'the web client would be asked for over HTTP/2',
    (rules) => (everythingElse(rules).backendRefs[0].port = 8090),
    'others than gRPC to parley-gateway:8090',
  ],
  [
    'gRPC would come over HTTP/1.1',
    (rules) => (nativeGrpc(rules).backendRefs[0].port = 8080),
    'gRPC to parley-gateway:8080, not HTTP/2',
  ],
  [
    'a port is not there',
    (rules) => (everythingElse(rules).backendRefs[0].port = 1),
    'to parley-gateway:1, which is not there',
  ],
])('the check finds that %s', (_, change, problem) => {
  expect(problemsOfRoutes(rendered(change))).toEqual([`HTTPRoute parley: leads ${problem}`])
})
