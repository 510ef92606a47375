import { describe, expect, test } from '@jest/globals'
import { HorizontalAutoscaler } from '../scaling/horizontal-autoscaler.mjs'

/** Behaviour without stabilization windows and rate limits. */
const atOnce = {
  scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 100, periodSeconds: 1 }] },
  scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 100, periodSeconds: 1 }] },
}
const autoscaler = (spec = {}) =>
  new HorizontalAutoscaler({ minReplicas: 1, maxReplicas: 50, targets: { sockets: '100' }, behavior: atOnce, ...spec })
const podsFor = (values, spec) => autoscaler(spec).next(0, values.length, { sockets: values }).pods

describe('the number of pods for one metric', () => {
  test.each([
    ['grows with the ratio of the average to the target', [200, 200], 4],
    ['is rounded up', [150], 2],
    ['depends on the average, not on single values', [300, 0, 0], 3],
    ['shrinks with the ratio', [50, 50, 50, 50], 2],
    ['stays the same up to 10 % above the target', [110, 110], 2],
    ['stays the same down to 10 % below the target', [90, 90, 90], 3],
    ['changes beyond that', [111, 111], 3],
    ['is not rounded up because of a rounding error', [120.1, 279.9, 0], 4],
  ])('%s', (_, values, pods) => {
    expect(podsFor(values)).toBe(pods)
  })

  test('stays within the limits', () => {
    expect(podsFor([900], { maxReplicas: 5 })).toBe(5)
    expect(podsFor([0, 0, 0], { minReplicas: 2 })).toBe(2)
    expect(podsFor([100], { minReplicas: 3 })).toBe(3)
    expect(podsFor([100, 100, 100], { maxReplicas: 2 })).toBe(2)
  })
})

describe('a pod that reports nothing', () => {
  test.each([
    ['counts as 0 when scaling up', [300, undefined], 3],
    ['counts as the target when scaling down', [20, undefined], 2],
    ['prevents a change whose direction it could reverse', [150, undefined], 2],
    ['does not turn scaling up into scaling down', [180, undefined, undefined], 3],
  ])('%s', (_, values, pods) => {
    expect(podsFor(values)).toBe(pods)
  })
})

describe('with several metrics', () => {
  const targets = { sockets: '100', lag: '0.5' }
  const next = (metrics) => autoscaler({ targets }).next(0, 2, metrics).pods

  test('the metric that requires the most pods decides', () => {
    expect(next({ sockets: [50, 50], lag: [1, 1.5] })).toBe(5)
    expect(next({ sockets: [300, 300], lag: [0, 0] })).toBe(6)
    expect(next({ sockets: [50, 50], lag: [0.1, 0.1] })).toBe(1)
  })

  test('a metric that no pod reports prevents scaling down, but not scaling up', () => {
    expect(next({ sockets: [10, 10] })).toBe(2)
    expect(next({ sockets: [300, 300], lag: [undefined, undefined] })).toBe(6)
    expect(next({})).toBe(2)
  })
})

function course(spec, start, sums) {
  const one = autoscaler(spec)
  let pods = start
  return sums.map((sum, second) => {
    const values = Array.from({ length: pods }, () => sum / pods)
    pods = one.next(second, pods, { sockets: values }).pods
    return pods
  })
}

describe('stabilization', () => {
  test('scaling down stops at the highest recommendation in the window', () => {
    const scaleDown = { ...atOnce.scaleDown, stabilizationWindowSeconds: 3 }
    const sums = [500, 100, 300, 100, 100, 100]
    expect(course({ behavior: { ...atOnce, scaleDown } }, 5, sums)).toEqual([5, 5, 5, 3, 3, 1])
  })

  test('scaling up stops at the lowest recommendation in the window', () => {
    const scaleUp = { ...atOnce.scaleUp, stabilizationWindowSeconds: 3 }
    const sums = [100, 400, 300, 400, 400]
    expect(course({ behavior: { ...atOnce, scaleUp } }, 1, sums)).toEqual([1, 1, 1, 3, 3])
  })
})

describe('policies', () => {
  const up = (scaleUp) => ({ behavior: { ...atOnce, scaleUp: { ...atOnce.scaleUp, ...scaleUp } } })
  const down = (scaleDown) => ({ behavior: { ...atOnce, scaleDown: { ...atOnce.scaleDown, ...scaleDown } } })
  const pods = { type: 'Pods', value: 1, periodSeconds: 2 }
  const percent = { type: 'Percent', value: 50, periodSeconds: 2 }
  const much = Array.from({ length: 5 }, () => 1_000)
  const nothing = Array.from({ length: 5 }, () => 0)

  test('limit how many pods are added in a period', () => {
    expect(course(up({ policies: [pods] }), 4, much)).toEqual([5, 5, 6, 6, 7])
    expect(course(up({ policies: [percent] }), 4, much)).toEqual([6, 6, 9, 9, 10])
  })

  test('limit how many pods are removed in a period', () => {
    expect(course(down({ policies: [pods] }), 4, nothing)).toEqual([3, 3, 2, 2, 1])
    expect(course(down({ policies: [percent] }), 9, nothing)).toEqual([4, 4, 2, 2, 1])
  })

  test('the policy that allows the largest change decides, unless `Min` or `Disabled` is selected', () => {
    const policies = [pods, percent]
    expect(course(up({ policies }), 4, much)[0]).toBe(6)
    expect(course(up({ policies, selectPolicy: 'Min' }), 4, much)[0]).toBe(5)
    expect(course(up({ policies, selectPolicy: 'Disabled' }), 4, much)[0]).toBe(4)
    expect(course(down({ policies }), 4, nothing)[0]).toBe(2)
    expect(course(down({ policies, selectPolicy: 'Min' }), 4, nothing)[0]).toBe(3)
    expect(course(down({ policies, selectPolicy: 'Disabled' }), 4, nothing)[0]).toBe(4)
  })

  test('default to those of Kubernetes', () => {
    expect(course({ behavior: {} }, 1, much)[0]).toBe(5)
    expect(course({ behavior: {} }, 6, [2_000])[0]).toBe(12)
    const minutes = course({ behavior: {} }, 4, [400, ...Array.from({ length: 301 }, () => 0)])
    expect([minutes[299], minutes[300]]).toEqual([4, 1])
  })
})
