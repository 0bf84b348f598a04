// Which area codes lie near which, so that a search in an area code without numbers can offer the
// nearest ones. Pure; distances are between the towns that area-codes.ts gives for each code.

import { AREA_CODES, type AreaCode } from './area-codes.js'

type Point = Pick<AreaCode, 'latitude' | 'longitude'>

const EARTH_RADIUS_KM = 6371
const BY_CODE: ReadonlyMap<string, AreaCode> = new Map(AREA_CODES.map((row) => [row.code, row]))

/** Null for what is no area code in service, toll-free codes included. */
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

/**
 * All other codes, nearest first. Codes of the same place (overlays) come first of all; equal
 * distances go by code, so the order is stable. Empty for an unknown code.
 */
export function areaCodesByDistance(code: string): string[] {
  const origin = findAreaCode(code)
  if (origin === null) return []
  return AREA_CODES.filter((other) => other.code !== code)
    .map((other) => ({ code: other.code, km: distanceKm(origin, other) }))
    .sort((a, b) => a.km - b.km || Number(a.code) - Number(b.code))
    .map((other) => other.code)
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
