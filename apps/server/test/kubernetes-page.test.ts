import { readFileSync } from "node:fs";
import { readSettings, variableOf } from "@openapi-operations/service/settings";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig, SETTINGS } from "../src/config.ts";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const page = read("docs/operations/kubernetes.md");
const image = read("Containerfile");

interface Container {
  image: string;
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface Manifest {
  kind?: string;
  spec: {
    replicas: number;
    strategy: { type: string };
    template: { spec: { terminationGracePeriodSeconds: number; containers: [Container]; volumes: { name: string }[] } };
    ports: { targetPort: string }[];
    podMetricsEndpoints: { port: string }[];
  };
}

const [manifests, changes, monitor] = Array.from(page.matchAll(/^```yaml\n(.*?)^```/gms), ([, text]) =>
  text!.split("---\n").map((manifest) => parse(manifest) as Manifest),
) as [Manifest[], [Manifest], [Manifest]];
const ofKind = (kind: string) => manifests.find((manifest) => manifest.kind === kind)!.spec;
const { template, replicas, strategy } = ofKind("Deployment");
const [container] = template.spec.containers;
const settings = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

test("the manifests are valid YAML, and one pod at a time has the SQLite file", () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(["PersistentVolumeClaim", "Deployment", "Service"]);
  expect([replicas, strategy.type]).toEqual([1, "Recreate"]);
  expect(changes[0].spec.replicas).toBeGreaterThan(1);
});

test("their variables are settings of the service, with valid values", () => {
  const known = new Set(Object.keys(readSettings(SETTINGS, {})).map(variableOf));
  const names = [container, changes[0].spec.template.spec.containers[0]].flatMap(({ env }) =>
    env.map(({ name }) => name),
  );
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(() => readConfig(settings)).not.toThrow();
});

test("the pod has longer to stop than the service takes", () => {
  const { shutdownDelay, shutdownTimeout } = readConfig(settings);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownDelay + shutdownTimeout + 5);
});

test("the ports, the user and the volume are those of the image and the settings", () => {
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  expect(image).toContain(`EXPOSE ${ports["http"]}\n`);
  expect(ports["metrics"]).toBe(readConfig(settings).metricsAddress!.port);
  expect(ofKind("Service").ports[0]!.targetPort).toBe("http");
  expect(monitor[0].spec.podMetricsEndpoints).toEqual([{ port: "metrics" }]);
  const [data, key] = container.volumeMounts;
  expect(image).toContain(`VOLUME ${data!.mountPath}\n`);
  expect(settings["PETSTORE_BOOTSTRAP_KEY_FILE"]).toBe(`${key!.mountPath}/key`);
});

test("the probes are those of the service", () => {
  const probes = ["startupProbe", "livenessProbe", "readinessProbe"] as const;
  expect(probes.map((probe) => container[probe]!.httpGet)).toEqual([
    { path: "/healthz", port: "http" },
    { path: "/healthz", port: "http" },
    { path: "/readyz", port: "http" },
  ]);
});
