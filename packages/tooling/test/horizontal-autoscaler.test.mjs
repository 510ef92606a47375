import { describe, expect, test } from '@jest/globals'
import { HorizontalAutoscaler } from '../scaling/horizontal-autoscaler.mjs'

/** Without windows and rates. */
const atOnce = {
  scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 100, periodSeconds: 1 }] },
  scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 100, periodSeconds: 1 }] },
}
const autoscaler = (spec = {}) =>
  new HorizontalAutoscaler({ minReplicas: 1, maxReplicas: 50, targets: { sockets: '100' }, behavior: atOnce, ...spec })
/** The number of pods wanted where each has a value. */
const podsFor = (values, spec) => autoscaler(spec).next(0, values.length, { sockets: values }).pods

describe('one metric', () => {
  test.each([
    ['grows with the ratio to its target', [200, 200], 4],
    ['is rounded up', [150], 2],
    ['counts as an average', [300, 0, 0], 3],
    ['shrinks with the ratio', [50, 50, 50, 50], 2],
    ['changes nothing up to a tenth above', [110, 110], 2],
    ['changes nothing down to a tenth below', [90, 90, 90], 3],
    ['changes something beyond', [111, 111], 3],
    ['is not rounded up for an error in the last digit', [120.1, 279.9, 0], 4],
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
    ['counts as 0 where pods join', [300, undefined], 3],
    ['counts as the target where pods leave', [20, undefined], 2],
    ['prevents what would turn around without it', [150, undefined], 2],
    ['does not make pods leave that were to join', [180, undefined, undefined], 3],
  ])('%s', (_, values, pods) => {
    expect(podsFor(values)).toBe(pods)
  })
})

describe('several metrics', () => {
  const targets = { sockets: '100', lag: '0.5' }
  const next = (metrics) => autoscaler({ targets }).next(0, 2, metrics).pods

  test('the one that wants most counts', () => {
    expect(next({ sockets: [50, 50], lag: [1, 1.5] })).toBe(5)
    expect(next({ sockets: [300, 300], lag: [0, 0] })).toBe(6)
    expect(next({ sockets: [50, 50], lag: [0.1, 0.1] })).toBe(1)
  })

  test('one that nobody reports keeps pods from leaving, and no others from joining', () => {
    expect(next({ sockets: [10, 10] })).toBe(2)
    expect(next({ sockets: [300, 300], lag: [undefined, undefined] })).toBe(6)
    expect(next({})).toBe(2)
  })
})

/** Numbers of pods, one per second, for sums of a metric. */
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
  test('pods leave only as far as every recommendation of the window agrees', () => {
    const scaleDown = { ...atOnce.scaleDown, stabilizationWindowSeconds: 3 }
    const sums = [500, 100, 300, 100, 100, 100]
    expect(course({ behavior: { ...atOnce, scaleDown } }, 5, sums)).toEqual([5, 5, 5, 3, 3, 1])
  })

  test('pods join only as far as every recommendation of the window agrees', () => {
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

  test('limit how many join in a period', () => {
    expect(course(up({ policies: [pods] }), 4, much)).toEqual([5, 5, 6, 6, 7])
    expect(course(up({ policies: [percent] }), 4, much)).toEqual([6, 6, 9, 9, 10])
  })

  test('limit how many leave in a period', () => {
    expect(course(down({ policies: [pods] }), 4, nothing)).toEqual([3, 3, 2, 2, 1])
    expect(course(down({ policies: [percent] }), 9, nothing)).toEqual([4, 4, 2, 2, 1])
  })

  test('the one that allows most counts, unless the least is selected or none may change', () => {
    const policies = [pods, percent]
    expect(course(up({ policies }), 4, much)[0]).toBe(6)
    expect(course(up({ policies, selectPolicy: 'Min' }), 4, much)[0]).toBe(5)
    expect(course(up({ policies, selectPolicy: 'Disabled' }), 4, much)[0]).toBe(4)
    expect(course(down({ policies }), 4, nothing)[0]).toBe(2)
    expect(course(down({ policies, selectPolicy: 'Min' }), 4, nothing)[0]).toBe(3)
    expect(course(down({ policies, selectPolicy: 'Disabled' }), 4, nothing)[0]).toBe(4)
  })

  test('of Kubernetes apply where none are given: four pods or twice as many at once, and none leaves for five minutes', () => {
    expect(course({ behavior: {} }, 1, much)[0]).toBe(5)
    expect(course({ behavior: {} }, 6, [2_000])[0]).toBe(12)
    const minutes = course({ behavior: {} }, 4, [400, ...Array.from({ length: 301 }, () => 0)])
    expect([minutes[299], minutes[300]]).toEqual([4, 1])
  })
})
