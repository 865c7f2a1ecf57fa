// From a JSON Schema to fields, and from what was written into them back to a payload. Pure.

/** What stands for a secret that is not shown. */
export const MASKED = "***";

/** @typedef {"text" | "secret" | "long" | "number" | "integer" | "boolean" | "choice" | "object" | "json"} FieldKind */
/**
 * @typedef {object} FieldOf
 * @property {string} name
 * @property {FieldKind} kind
 * @property {string} label
 * @property {string} [hint]
 * @property {boolean} required
 * @property {boolean} nullable
 * @property {unknown[]} [choices]
 * @property {unknown} [initial]
 * @property {FieldOf[]} [fields]
 */
/** A schema of users, and what their fields hold: as deep as they like. @typedef {Record<string, any>} Schema */
/** @typedef {Record<string, any>} Values text, true or false, or the values within */

/** @param {Schema} schema @param {string[]} secrets @param {Schema} [root] @returns {FieldOf[]} */
export function fieldsOf(schema, secrets = [], root = schema) {
  const resolved = resolve(schema, root);
  return Object.entries(resolved.properties ?? {}).map(([name, inner]) =>
    fieldOf(name, inner, resolved, secrets, root),
  );
}

/**
 * @param {string} name
 * @param {Schema} given
 * @param {Schema} parent
 * @param {string[]} secrets
 * @param {Schema} root
 * @returns {FieldOf}
 */
function fieldOf(name, given, parent, secrets, root) {
  const { schema, nullable } = withoutNull(resolve(given, root), root);
  const plain = kindOf(schema);
  const hidden = secrets.includes(name) || schema.writeOnly || schema.format === "password";
  // Lists, objects and numbers cannot be written as a password is.
  const kind = hidden && ["text", "long"].includes(plain) ? "secret" : plain;
  const hint = [given.description ?? schema.description, bounds(schema)].filter(Boolean).join(" ");
  return {
    name,
    kind,
    nullable,
    label: given.title ?? name,
    hint: hint || undefined,
    required: (parent.required ?? []).includes(name),
    initial: given.default ?? schema.default,
    choices: schema.enum ?? (schema.const === undefined ? undefined : [schema.const]),
    fields: kind === "object" ? fieldsOf(schema, [], root) : undefined,
  };
}

/** @param {Schema} schema @returns {FieldKind} */
function kindOf(schema) {
  if (schema.enum || schema.const !== undefined) return "choice";
  if (schema.type === "object" && schema.properties) return "object";
  if (schema.type === "string") return schema.maxLength > 500 ? "long" : "text";
  if (schema.type === "integer" || schema.type === "number" || schema.type === "boolean") return schema.type;
  return "json";
}

/** @param {Schema} schema */
function bounds(schema) {
  const least = schema.minimum ?? schema.exclusiveMinimum;
  const most = schema.maximum ?? schema.exclusiveMaximum;
  if (least !== undefined && most !== undefined) return `${least} to ${most}.`;
  if (least !== undefined) return `At least ${least}.`;
  if (most !== undefined) return `At most ${most}.`;
  return schema.format && schema.format !== "password" ? `As ${schema.format}.` : "";
}

/** @param {Schema} schema @param {Schema} root @returns {Schema} */
function resolve(schema, root) {
  const path = typeof schema.$ref === "string" && schema.$ref.startsWith("#/") ? schema.$ref.slice(2).split("/") : null;
  if (!path) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...path.reduce((/** @type {Schema | undefined} */ at, part) => at?.[unescaped(part)], root), ...beside };
}

/** A part of a JSON pointer in a reference. @param {string} part */
const unescaped = (part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** @param {Schema} schema @param {Schema} root @returns {{schema: Schema, nullable: boolean}} */
function withoutNull(schema, root) {
  const options = schema.anyOf ?? schema.oneOf;
  if (!options) return { schema, nullable: false };
  const others = options.filter((/** @type {Schema} */ option) => option.type !== "null");
  const nullable = others.length < options.length;
  return others.length === 1
    ? { schema: { ...schema, ...resolve(others[0], root) }, nullable }
    : { schema: { ...schema, type: undefined }, nullable };
}

// These can hold a mask and give it back.
const WRITTEN = ["text", "long", "secret", "json"];

/**
 * Whether a form of these fields shows all of a payload: what it does not show would be lost.
 * @param {FieldOf[]} fields
 * @param {Record<string, unknown>} payload
 * @returns {boolean}
 */
export function covers(fields, payload) {
  return Object.entries(payload).every(([name, value]) => {
    const field = fields.find((one) => one.name === name);
    if (!field) return false;
    if (value === MASKED) return WRITTEN.includes(field.kind);
    if (field.kind !== "object") return true;
    return typeof value === "object" && value !== null && covers(field.fields ?? [], /** @type {Record<string, unknown>} */ (value));
  });
}

/** A payload without what is masked, however deep it stands. @template T @param {T} value @returns {T} */
export function withoutMasks(value) {
  if (Array.isArray(value)) return /** @type {T} */ (value.map(withoutMasks));
  if (typeof value !== "object" || value === null) return value;
  const known = Object.entries(value).filter(([, inner]) => inner !== MASKED);
  return /** @type {T} */ (Object.fromEntries(known.map(([name, inner]) => [name, withoutMasks(inner)])));
}

/**
 * What fields hold before anybody writes: text for what is written, true or false for switches.
 * @param {FieldOf[]} fields
 * @param {Values} [payload]
 * @returns {Values}
 */
export function initialValues(fields, payload) {
  /** @type {Values} */
  const values = {};
  for (const field of fields) {
    const given = payload?.[field.name] ?? field.initial;
    if (field.kind === "object") values[field.name] = initialValues(field.fields ?? [], given);
    else if (field.kind === "boolean") values[field.name] = given ?? false;
    else if (given === undefined || given === null) values[field.name] = "";
    else values[field.name] = field.kind === "json" || field.kind === "choice" ? JSON.stringify(given) : String(given);
  }
  return values;
}

/**
 * The payload that was meant, and what is wrong with each field, by path.
 * @param {FieldOf[]} fields
 * @param {Values} values
 * @param {string} [path]
 * @returns {{payload: Record<string, unknown>, problems: Record<string, string>}}
 */
export function readValues(fields, values, path = "") {
  /** @type {Record<string, unknown>} */
  const payload = {};
  /** @type {Record<string, string>} */
  let problems = {};
  for (const field of fields) {
    const written = values[field.name];
    const at = path + field.name;
    if (field.kind === "object") {
      const inner = readValues(field.fields ?? [], written ?? {}, `${at}.`);
      problems = { ...problems, ...inner.problems };
      if (field.required || Object.keys(inner.payload).length) payload[field.name] = inner.payload;
    } else if (field.kind === "boolean") {
      if (field.required || written !== (field.initial ?? false)) payload[field.name] = written;
    } else if (written === "" || written === undefined) {
      if (field.required && field.nullable) payload[field.name] = null;
      else if (field.required) problems[at] = "This field is required.";
    } else {
      const read = readOne(field, written);
      if (read.problem) problems[at] = read.problem;
      else payload[field.name] = read.value;
    }
  }
  return { payload, problems };
}

/** @param {FieldOf} field @param {string} written @returns {{value?: unknown, problem?: string}} */
function readOne(field, written) {
  if (field.kind === "number" || field.kind === "integer") {
    const value = Number(written);
    if (written.trim() === "" || Number.isNaN(value)) return { problem: `${written} is not a number.` };
    return field.kind === "integer" && !Number.isInteger(value)
      ? { problem: `${written} is not a whole number.` }
      : { value };
  }
  if (field.kind === "json" || field.kind === "choice") {
    try {
      return { value: JSON.parse(written) };
    } catch (error) {
      return { problem: `This is not JSON: ${/** @type {Error} */ (error).message}` };
    }
  }
  return { value: written };
}
