import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Composer } from "./Composer";

afterEach(cleanup);

function typed(value: string) {
  const onSend = vi.fn();
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  render(
    <QueryClientProvider client={client}>
      <Composer
        value={value}
        onChange={() => undefined}
        domains={[]}
        onDomains={() => undefined}
        onSend={onSend}
        onStop={null}
        onClose={() => undefined}
        place=""
      />
    </QueryClientProvider>,
  );
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  return onSend;
}

it("sends a question without the blanks around it", () => {
  expect(typed("  How long?  ")).toHaveBeenCalledWith("How long?");
});

it("keeps a question that is longer than the server takes, and says so", () => {
  expect(typed("字".repeat(32_001))).not.toHaveBeenCalled();
  expect(screen.getByRole("alert").textContent).toContain("32001");
});

it("counts characters, not halves of them", () => {
  expect(typed("😀".repeat(20_000))).toHaveBeenCalledOnce();
});
