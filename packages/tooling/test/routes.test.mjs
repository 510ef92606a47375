import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { problemsOfRoutes } from '../deploy/check-routes.mjs'

/** The routes that the chart renders, and their backends, after a change to the HTTPRoute's rules. */
function renderedObjects(change = () => {}) {
  const golden = readFileSync(new URL('../deploy/golden/full.yaml', import.meta.url), 'utf8')
  const objects = parseAllDocuments(golden).flatMap((each) => each.toJS() ?? [])
  change(objects.find(({ kind }) => kind === 'HTTPRoute').spec.rules)
  return objects
}

const everythingElse = (rules) => rules.find(({ matches }) => matches[0].path.value === '/' && !matches[0].headers)
const nativeGrpc = (rules) => rules.find(({ matches }) => matches[0].headers)

test('the rendered routes send native gRPC, and nothing else, to the HTTP/2 port', () => {
  expect(problemsOfRoutes(renderedObjects())).toEqual([])
})

test.each([
  [
    'requests for the web client would go to the HTTP/2 port',
    (rules) => (everythingElse(rules).backendRefs[0].port = 8090),
    'other requests than gRPC to parley-gateway:8090',
  ],
  [
    'gRPC would go to the HTTP/1.1 port',
    (rules) => (nativeGrpc(rules).backendRefs[0].port = 8080),
    'gRPC to parley-gateway:8080, which does not serve HTTP/2',
  ],
  [
    'a port does not exist',
    (rules) => (everythingElse(rules).backendRefs[0].port = 1),
    'to parley-gateway:1, which does not exist',
  ],
])('the check finds that %s', (_, change, problem) => {
  expect(problemsOfRoutes(renderedObjects(change))).toEqual([`HTTPRoute parley: leads ${problem}`])
})
