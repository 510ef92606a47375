import { inWorkspace } from '../steps.mjs'
import { deployableNames, propertiesOf, replaceBetween } from './manifest.mjs'

const { deployableOf, services } = await import(inWorkspace('packages/contracts/src/catalogue.ts'))
const { rpcSubject } = await import(inWorkspace('packages/rpc/src/subjects.ts'))

export const busFiles = {
  'deploy/nats/parley.conf': (before) => {
    const users = deployableNames.flatMap((name) => [...user(name), ''])
    const accounts = deployableNames
      .filter((name) => !propertiesOf(name).keepsStream)
      .flatMap((name) => ['', ...account(name)])
    const withUsers = replaceBetween(before, '      # <deployables>', '      # </deployables>', users.slice(0, -1))
    return replaceBetween(
      withUsers,
      '  # <accounts of deployables>',
      '  # </accounts of deployables>',
      accounts.slice(1),
    )
  },
}

function user(name) {
  const { about } = propertiesOf(name)
  return [
    `      # ${about}`,
    '      {',
    `        user: "${name}"`,
    `        password: $PARLEY_NATS_PASSWORD_${name.toUpperCase()}`,
    '        permissions: {',
    ...permission('publish', publishSubjects(name)),
    ...permission('subscribe', subscribeSubjects(name)),
    '        }',
    '      }',
  ]
}

function publishSubjects(name) {
  const { calls = [], hints, speaksForUsers } = propertiesOf(name)
  return {
    calls: [...(speaksForUsers ? ['rpc.*.*'] : []), ...calls.map((method) => `rpc.internal.svc_internal_v1_${method}`)],
    'responds to calls': callSubjects(name).length > 0 ? [`_INBOX.*.${name}.>`] : [],
    hints: (hints?.publishes ?? []).map((about) => `hint.${about}.*`),
  }
}

function subscribeSubjects(name) {
  return {
    'receives calls, load-balanced over its processes': callSubjects(name).map((subject) => `${subject} ${name}`),
    hints: (propertiesOf(name).hints?.subscribes ?? []).map((about) => `hint.${about}.*`),
    'receives responses': [`_INBOX.${name}.>`],
  }
}

/** A service whose methods all belong to the deployable needs only one subject, with a wildcard. */
function callSubjects(name) {
  return Object.values(services[name]).flatMap(({ methods }) => {
    const own = methods.filter((method) => deployableOf(method) === name).map(rpcSubject)
    return own.length === methods.length ? [own[0].replace(/\w+$/, '*')] : own
  })
}

/** For NATS an empty list allows everything, so without subjects this denies everything. */
function permission(verb, groups) {
  const lines = Object.entries(groups).flatMap(([why, subjects]) =>
    subjects.length === 0 ? [] : [`            # ${why}`, ...subjects.map((subject) => `            "${subject}"`)],
  )
  if (lines.length === 0) return [`          ${verb}: { deny: [">"] }`]
  return [`          ${verb}: { allow: [`, ...lines, '          ] }']
}

function account(name) {
  const { publishes = [], consumes = [] } = propertiesOf(name)
  const service = (subject) => `      { service: { account: EVENTS, subject: "${subject}" } }`
  return [
    `  ${name.toUpperCase()}_EVENTS: {`,
    `    users: [ { user: "${name}-events", password: $PARLEY_NATS_PASSWORD_${name.toUpperCase()} } ]`,
    '    imports: [',
    '      { service: { account: NOWHERE, subject: "nowhere.>" }, to: "$JS.API.>" }',
    ...withTitle(
      'publishes',
      publishes.map((type) => service(`evt.${type}.>`)),
    ),
    ...withTitle('requests to the keeper of the stream', [service(`stream.${name}.*`)]),
    ...withTitle('reads events by sequence, and follows the stream', [
      service('$JS.API.DIRECT.GET.EVENTS'),
      `      { stream: { account: EVENTS, subject: "deliver.${name}.*" } }`,
      service('$JS.FC.EVENTS.>'),
    ]),
    ...withTitle(
      'consumes',
      consumes.flatMap((durable) => [
        service(`$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}-${durable}`),
        service(`$JS.ACK.EVENTS.${name}-${durable}.>`),
      ]),
    ),
    '    ]',
    '  }',
  ]
}

const withTitle = (title, lines) => (lines.length === 0 ? [] : [`      # ${title}`, ...lines])
