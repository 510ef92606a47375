/**
 * The microseconds of the clock of Redis are the version, which orders announcements about a user across processes.
 */
const clock = `
local time = redis.call('TIME')
local version = time[1] * 1000000 + time[2]
local now = math.floor(version / 1000)`

/** A deadline is this much later than the expiry of its record, which is gone by the time its user is announced. */
const afterLeaseMs = 10

/**
 * Stores a report. KEYS: record, deadlines. ARGV: user id; status; "m" for a chosen status that automatic reports must
 * not change; "1" if the user chose the status; lease in ms. Returns the effective status, whether it changed, and the
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
 * Takes expired users, so that the caller can announce them. KEYS: deadlines. ARGV: maximum number; ms after which any
 * process can take them again unless they are removed. Returns the version, the temporary score of the taken users,
 * their ids, and the ms until the next deadline, -1 if there is none.
 */
export const takeExpired = `${clock}
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local again = now + ARGV[2]
local next = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
for _, id in ipairs(expired) do redis.call('ZADD', KEYS[1], again, id) end
return { version, again, expired, next[2] and next[2] - now or -1 }`

/**
 * Removes announced users. KEYS: deadlines. ARGV: the temporary score, ids. Users who returned have another score and
 * stay.
 */
export const removeExpired = `
for i = 2, #ARGV do
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i])) == tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end`
