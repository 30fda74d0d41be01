'use strict';

// The inputs of a page: each is saved when it is changed here, and follows when it is changed
// elsewhere.

const PAUSE = 2000;

const say = (text) => {
  document.getElementById('state').textContent = text;
};

const ask = async (path, options) => {
  const answer = await fetch(path, options);
  if (answer.ok) {
    return answer;
  }
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.error || `the server answers ${answer.status}`);
};

const save = async (id, value) => {
  try {
    await ask('save/', { method: 'POST', body: new URLSearchParams({ id, value }) });
    say('');
  } catch (error) {
    say(`${id} is not saved: ${error.message}`);
  }
};

// Shows a value, unless it is just being written.
const show = ({ field, shown }, value) => {
  if (document.activeElement !== field || field.type === 'range') {
    field.value = value;
  }
  shown.textContent = field.type === 'range' ? field.value : '';
};

const follow = async (id, input) => {
  const place = encodeURIComponent(id);
  let path = `list/${place}`;
  let headers = {};
  for (;;) {
    try {
      const answer = await ask(path, { headers });
      show(input, (await answer.json()).value);
      path = `watch/${place}`;
      headers = { 'If-None-Match': answer.headers.get('ETag') };
      say('');
    } catch (error) {
      say(`${id}: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
};

const add = (form, { id, type }) => {
  const label = document.createElement('label');
  const name = document.createElement('span');
  const field = document.createElement('input');
  const shown = document.createElement('output');
  name.textContent = id;
  field.type = type.type;
  for (const bound of ['min', 'max', 'step']) {
    if (bound in type) {
      field[bound] = type[bound];
    }
  }
  field.addEventListener('change', () => save(id, field.value));
  if (field.type === 'range') {
    field.addEventListener('input', () => {
      shown.textContent = field.value;
    });
  }
  label.append(name, field, shown);
  form.append(label);
  follow(id, { field, shown });
};

const start = async () => {
  const form = document.getElementById('inputs');
  form.addEventListener('submit', (event) => event.preventDefault());
  try {
    const { elements } = await (await ask('list/')).json();
    const order = (a, b) => (a.sort < b.sort ? -1 : a.sort > b.sort ? 1 : 0);
    elements.sort(order).forEach((element) => add(form, element));
  } catch (error) {
    say(error.message);
  }
};

start();
