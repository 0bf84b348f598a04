// Which area codes are close to each other, so a search in an area code without numbers can offer the nearest ones.
// Pure. Distances are between the cities in area-codes.ts. Nearby means in the same country and within 300 miles.

import { AREA_CODES, type AreaCode } from './area-codes.js'

type Point = Pick<AreaCode, 'latitude' | 'longitude'>

const EARTH_RADIUS_KM = 6371
const KM_PER_MILE = 1.609_344
const NEAR_MILES_MAX = 300
const PROVINCES = new Set('AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' '))
const BY_CODE: ReadonlyMap<string, AreaCode> = new Map(AREA_CODES.map((row) => [row.code, row]))

/** Null if it is not an area code in service. Toll-free codes are not. */
export function findAreaCode(code: string): AreaCode | null {
  return BY_CODE.get(code) ?? null
}

/** Along the surface of a sphere (haversine); within half a percent of the real earth. */
export function distanceKm(a: Point, b: Point): number {
  const [latitudeA, latitudeB] = [radians(a.latitude), radians(b.latitude)]
  const [dLatitude, dLongitude] = [latitudeB - latitudeA, radians(b.longitude - a.longitude)]
  const chord =
    Math.sin(dLatitude / 2) ** 2 +
    Math.cos(latitudeA) * Math.cos(latitudeB) * Math.sin(dLongitude / 2) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Whole miles between the places of two area codes. Null if the place of one is unknown. */
export function milesBetween(areaCode: string, other: string): number | null {
  const [a, b] = [findAreaCode(areaCode), findAreaCode(other)]
  return a && b ? Math.round(distanceKm(a, b) / KM_PER_MILE) : null
}

/** Area codes of Canada, from which a US campaign does not send. */
export const CANADIAN_AREA_CODES: ReadonlySet<string> = new Set(
  AREA_CODES.filter(isCanadian).map(({ code }) => code),
)

/** Otherwise it is in the United States or its territories. */
function isCanadian({ region }: AreaCode): boolean {
  return PROVINCES.has(region)
}

/**
 * The other nearby codes, nearest first. Codes of the same place (overlays) come first. Equal distances are ordered
 * by code, so the order is stable. Empty for an unknown code.
 */
export function areaCodesNear(code: string): string[] {
  const origin = findAreaCode(code)
  if (origin === null) return []
  return AREA_CODES.filter((other) => other.code !== code)
    .filter((other) => isCanadian(other) === isCanadian(origin))
    .map((other) => ({ code: other.code, km: distanceKm(origin, other) }))
    .filter(({ km }) => km <= NEAR_MILES_MAX * KM_PER_MILE)
    .sort((a, b) => a.km - b.km || Number(a.code) - Number(b.code))
    .map((other) => other.code)
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
