/** Microseconds of Redis: they order the announcements about a user across processes. */
const clock = `
local time = redis.call('TIME')
local version = time[1] * 1000000 + time[2]
local now = math.floor(version / 1000)`

/** Announced once the record has certainly expired: a person who returns after that starts a new record. */
const afterLeaseMs = 10

/**
 * KEYS record, deadlines; ARGV user id, status, "m" when the user chose a status that automatic reports must not
 * change, "1" when the user chose it explicitly, lease in ms. Returns the effective status, whether it changed, and the
 * version.
 */
export const report = `${clock}
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 2) == 'm' and ARGV[4] ~= '1' then return { string.sub(held, 1, 1), 0, version } end
redis.call('SET', KEYS[1], ARGV[2] .. ARGV[3], 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], now + ARGV[5] + ${afterLeaseMs}, ARGV[1])
local changed = (not held or string.sub(held, 1, 1) ~= ARGV[2]) and 1 or 0
return { ARGV[2], changed, version }`

/**
 * KEYS deadlines; ARGV maximum number, ms until they are taken again unless settled. Returns the version, the temporary
 * score of the expired ones, their ids, and the ms until the next deadline, -1 when there is none.
 */
export const takeLapsed = `${clock}
local lapsed = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local again = now + ARGV[2]
local next = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
for _, id in ipairs(lapsed) do redis.call('ZADD', KEYS[1], again, id) end
return { version, again, lapsed, next[2] and next[2] - now or -1 }`

/** KEYS deadlines; ARGV the temporary score, ids. People who returned since have another score and stay. */
export const settleLapsed = `
for i = 2, #ARGV do
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i])) == tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end`
