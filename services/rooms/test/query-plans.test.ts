import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { ownerRoleId } from '@parley/permissions'
import { openDatabase, type Db } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { testDatabase } from '@parley/testkit'
import { sql, type SQL } from 'drizzle-orm'
import type { Eligibility } from '../src/policy/eligibility.ts'
import { bansPage } from '../src/store/ban-list.ts'
import { membersCount, membersPage, type MemberFilter } from '../src/store/member-list.ts'
import { recipientsPage, type RecipientFilter } from '../src/store/recipients.ts'

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const opened = new Resources()
let db: Db

/**
 * 100,000 people, all in room R1, 100 of them in R2. Every second one has the role `staff`, a hundred have `few`. Logins
 * begin with `user`; display names are random hexadecimal digits.
 */
beforeAll(async () => {
  const database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  const options = { url: database.url, pool: 1, name: 'test', statementTimeoutMs: 60_000 }
  db = opened.use(await openDatabase(options)).db
  const { rows } = await db.execute(sql`select indexdef from pg_indexes where indexname = 'people_by_grams'`)
  await db.execute(sql`drop index people_by_grams`)
  await db.execute(sql`
    insert into people (user_id, login, display_name, name_key, search_key, search_grams, role_ids, deleted, profile_version, roles_version)
    select 'U' || n, login, name, name, key, array(select distinct substr(key, at, 3) from generate_series(1, length(key) - 2) at),
      array_remove(array[case when n % 2 = 0 then 'staff' end, case when n % 1000 = 0 then 'few' end], null), false, 1, 1
    from (select n, login, name, login || E'\n' || name as key from
      (select n, 'user' || n as login, substr(md5(n::text), 1, 8) as name from generate_series(1, 100000) n) as named) as people`)
  await db.execute(sql.raw(String(rows[0]?.['indexdef'])))
  await db.execute(sql`insert into room_groups values ('G1', 'G1', '', 1, now())`)
  await db.execute(sql`
    insert into rooms (id, kind, version, name, name_key, description, group_id, universal, archived, created_at)
    select id, 1, 1, id, id, '', 'G1', false, false, now() from unnest('{R1,R2}'::text[]) id`)
  await db.execute(sql`
    insert into room_members select 'R1', 'U' || n, true, 1, now() from generate_series(1, 100000) n
    union all select 'R2', 'U' || n * 900, true, 1, now() from generate_series(1, 100) n`)
  await db.execute(sql`
    insert into room_bans select id, 'U' || n, id || n, true, 'U1', '', now() - n * interval '1 minute', null, 1, now()
    from unnest('{R1,R2}'::text[]) id, generate_series(100001, 100300) n`)
  await db.execute(sql`vacuum analyze`)
}, 120_000)
afterAll(() => opened[Symbol.asyncDispose]())

async function planNodes(statement: SQL): Promise<Plan[]> {
  const { rows } = await db.execute(sql`explain (analyze, format json) ${statement}`)
  const [explained] = rows[0]?.['QUERY PLAN'] as { Plan: Plan }[]
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  return explained ? nodes(explained.Plan) : []
}

const maxRows = (nodes: readonly Plan[]): number =>
  Math.max(...nodes.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']))
const indexes = (nodes: readonly Plan[]) => nodes.map((node) => node['Index Name'])

const eligible: Eligibility = {
  ...{ everyone: 'allow', ownerRoleId, allowedRoles: [], allowedUsers: [] },
  ...{ deniedRoles: ['guest'], deniedUsers: ['U7'] },
}
const first = { limit: 251, offset: 0, after: undefined }
const deep = { limit: 251, offset: 0, after: { nameKey: 'c', login: 'user1', userId: 'U1' } }
const filter = (search: string, wanted: Partial<MemberFilter> = {}): MemberFilter => {
  return { roomId: 'R1', search, eligible: undefined, ...wanted }
}

describe('in a list of 100,000 members', () => {
  test.each<[string, MemberFilter, typeof first | typeof deep]>([
    ['the first page', filter(''), first],
    ['a deep page', filter(''), deep],
    ['a page of the effective members of a universal room', filter('', { eligible }), deep],
    ['a page of a search that finds all members', filter('user'), first],
    ['a deep page of a search that finds many members', filter('a'), deep],
  ])('%s reads about as many people as it shows', async (_what, filter, page) => {
    const nodes = await planNodes(membersPage(filter, page))
    expect(indexes(nodes)).toContain('people_by_name')
    expect(maxRows(nodes)).toBeLessThan(4 * first.limit)
  })

  test.each<[string, (filter: MemberFilter) => SQL]>([
    ['found', (filter) => membersPage(filter, first)],
    ['counted', membersCount],
  ])('few matches of a search are %s with the trigram index', async (_what, statement) => {
    for (const wanted of [filter('user4711'), filter('ffff'), filter('nobody'), filter('user4711', { eligible })]) {
      const nodes = await planNodes(statement(wanted))
      expect(indexes(nodes)).toContain('people_by_grams')
      expect(maxRows(nodes)).toBeLessThan(1000)
    }
  })

  test('the total is counted without reading people', async () => {
    const nodes = await planNodes(membersCount(filter('')))
    expect(nodes.map((node) => node['Relation Name'])).not.toContain('people')
  })
})

describe('recipients among 100,000 members', () => {
  const nobody: RecipientFilter = { roomId: 'R1', eligible: undefined, all: false, userIds: [], roleIds: [] }
  const thousand = Array.from({ length: 1000 }, (_, n) => `U${n * 99}`)
  const wants = { all: { ...nobody, all: true }, users: { ...nobody, userIds: thousand } }
  const recipientNodes = (filter: RecipientFilter, page: { after: string; limit: number }) =>
    planNodes(recipientsPage(filter, page) ?? sql``)

  test.each([
    ['all members of a room', wants.all],
    ['all members of a universal room', { ...wants.all, eligible }],
    ['a thousand users of a room', wants.users],
    ['a thousand users of a universal room', { ...wants.users, eligible }],
    ['the holders of a common role in a room', { ...nobody, roleIds: ['staff'] }],
    ['the holders of a common role in a universal room', { ...nobody, roleIds: ['staff'], eligible }],
  ])('%s: a page reads about as many people as it returns', async (_what, filter) => {
    expect(maxRows(await recipientNodes(filter, { after: 'U5', limit: 1000 }))).toBeLessThan(4100)
  })

  test.each([undefined, eligible])('holders of a rare role are found with the index', async (rule) => {
    const filter = { ...nobody, roleIds: ['few'], userIds: thousand.slice(0, 10), eligible: rule }
    const nodes = await recipientNodes(filter, { after: '', limit: 1000 })
    expect(indexes(nodes)).toContain('people_by_roles')
    expect(maxRows(nodes)).toBeLessThan(1000)
  })
})

test('a page of a room with 100 members does not read 100,000 people', async () => {
  const nodes = await planNodes(membersPage(filter('', { roomId: 'R2' }), first))
  expect(indexes(nodes)).toEqual(expect.arrayContaining(['room_members_of_room', 'people_pkey']))
  // There are so few bans that reading all of them is acceptable.
  expect(maxRows(nodes)).toBeLessThan(1000)
})

test.each([
  ['of all rooms', '', 'room_bans_newest'],
  ['of one room', 'R2', 'room_bans_newest_of_room'],
])('a page of bans %s reads little more than it shows', async (_what, roomId, index) => {
  const before = { createdAt: new Date(Date.now() - 100_100 * 60_000), id: 'R2' }
  const nodes = await planNodes(bansPage(db, roomId, { limit: 51, offset: 0, before }).getSQL())
  expect(indexes(nodes)).toContain(index)
  expect(maxRows(nodes)).toBeLessThan(150)
})
